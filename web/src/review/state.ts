/** Derive the state of a review from its events: types, and the one function that changes the state. */

export type PipelineStage = 'idle' | 'planner' | 'reviewer' | 'verifier' | 'reporter' | 'complete' | 'error';

export interface PipelineEvent {
  type: string;
  data: Record<string, unknown>;
  timestamp: string;
}

export type PreviewSeverity = 'critical' | 'warning' | 'info' | 'style';

export interface FindingPreview {
  title: string;
  severity: PreviewSeverity;
  verified: boolean;
}

export interface ReviewState<Verdict = unknown> {
  reviewId: string | null;
  stage: PipelineStage;
  events: PipelineEvent[];
  activeAgent: string | null;
  activeTool: string | null;
  findingsPreview: FindingPreview[];
  verdict: Verdict | null;
  error: string | null;
}

/** An event with its place in the story; the stream numbers them from 1. */
export interface NumberedEvent extends PipelineEvent {
  id: number;
}

export type Action<Verdict = unknown> =
  | { kind: 'opened'; reviewId: string }
  | { kind: 'heard'; events: NumberedEvent[] }
  | { kind: 'decided'; verdict: Verdict };

export const AGENTS = ['planner', 'reviewer', 'verifier', 'reporter'] as const;
export const STAGES: readonly PipelineStage[] = ['idle', ...AGENTS, 'complete', 'error'];
const SEVERITIES: readonly PreviewSeverity[] = ['critical', 'warning', 'info', 'style'];

export function idle<Verdict = unknown>(reviewId: string | null = null): ReviewState<Verdict> {
  return {
    reviewId,
    stage: 'idle',
    events: [],
    activeAgent: null,
    activeTool: null,
    findingsPreview: [],
    verdict: null,
    error: null,
  };
}

/** The next state. Events may come late, twice or in any order: the story is told by their numbers. */
export function reduce<Verdict>(state: ReviewState<Verdict>, action: Action<Verdict>): ReviewState<Verdict> {
  switch (action.kind) {
    case 'opened':
      return action.reviewId === state.reviewId ? state : idle(action.reviewId);
    case 'heard':
      return hear(state, action.events);
    case 'decided':
      return state.stage === 'complete' ? { ...state, verdict: action.verdict } : state;
  }
}

function hear<Verdict>(state: ReviewState<Verdict>, heard: NumberedEvent[]): ReviewState<Verdict> {
  const known = state.events as NumberedEvent[];
  const seen = new Set(known.map((event) => event.id));
  const fresh = heard.filter((event) => !seen.has(event.id) && Boolean(seen.add(event.id)));
  if (fresh.length === 0) return state;
  fresh.sort((one, other) => one.id - other.id);
  const last = known.at(-1)?.id ?? -Infinity;
  if (fresh[0]!.id > last) return fresh.reduce<ReviewState<Verdict>>(step, { ...state, events: [...known] });
  // One came late: the story is told again from its beginning.
  const story = [...known, ...fresh].sort((one, other) => one.id - other.id);
  const told = story.reduce<ReviewState<Verdict>>(step, idle(state.reviewId));
  return { ...told, verdict: told.stage === 'complete' ? state.verdict : null };
}

/** One event after all earlier ones. `state.events` is this function's own and grows in place. */
function step<Verdict>(state: ReviewState<Verdict>, event: NumberedEvent): ReviewState<Verdict> {
  state.events.push(event);
  const { data } = event;
  switch (event.type) {
    case 'pipeline.started':
      return { ...at(state, 'planner'), findingsPreview: [], reviewId: state.reviewId ?? word(data.review_id) };
    case 'pipeline.resumed':
      return state.stage === 'error' ? at(state, handedTo(state.events)) : state;
    case 'agent.started':
      return state.stage === 'idle' ? at(state, agentOf(data.agent) ?? state.stage) : state;
    case 'agent.handoff':
      return isOver(state) ? state : at(state, further(state.stage, agentOf(data.to)));
    case 'tool.called':
      return called(state, data);
    case 'finding.detected':
      return isOver(state) ? state : { ...state, findingsPreview: detected(state.findingsPreview, data) };
    case 'finding.verified':
      return isOver(state) ? state : { ...state, findingsPreview: verified(state.findingsPreview, data) };
    case 'pipeline.completed':
      return { ...at(state, 'complete'), activeAgent: null };
    case 'pipeline.failed':
      return failed(state, word(data.reason) ?? 'The review failed.');
    case 'pipeline.cancelled':
      return failed(state, `Cancelled${data.by ? ` by ${String(data.by)}` : ''}.`);
    default:
      return state;
  }
}

/** Only a handoff ends a stage, and none leads back: that somebody ahead is asked something is no stage. */
function further(stage: PipelineStage, next: (typeof AGENTS)[number] | null): PipelineStage {
  return next && STAGES.indexOf(next) > STAGES.indexOf(stage) ? next : stage;
}

/** Where a review that goes on stands: with whom the work was handed to last. */
function handedTo(events: readonly PipelineEvent[]): PipelineStage {
  const start = events.findLastIndex((event) => event.type === 'pipeline.started');
  return events.slice(start + 1).filter((event) => event.type === 'agent.handoff').reduce<PipelineStage>((stage, event) => further(stage, agentOf(event.data.to)), 'planner');
}

/** A stage and its agent. Only a new start leads out of an end. */
function at<Verdict>(state: ReviewState<Verdict>, stage: PipelineStage): ReviewState<Verdict> {
  const agent = agentOf(stage);
  const sameAgent = agent !== null && agent === state.activeAgent;
  return {
    ...state,
    stage,
    activeAgent: agent,
    activeTool: sameAgent ? state.activeTool : null,
    verdict: stage === 'complete' ? state.verdict : null,
    error: stage === 'error' ? state.error : null,
  };
}

function failed<Verdict>(state: ReviewState<Verdict>, error: string): ReviewState<Verdict> {
  return { ...at(state, 'error'), error };
}

function called<Verdict>(state: ReviewState<Verdict>, data: Record<string, unknown>): ReviewState<Verdict> {
  if (isOver(state)) return state;
  const agent = agentOf(data.agent) ?? agentOf(state.activeAgent);
  const next = agent && state.stage === 'idle' ? at(state, agent) : state;
  const active = next.activeAgent ?? agent;
  // Analysers are at work while the planner still thinks: their tools are not its own.
  if (agent && active !== agent) return next;
  return { ...next, activeAgent: active, activeTool: active ? word(data.tool) : null };
}

function isOver(state: ReviewState<unknown>): boolean {
  return state.stage === 'complete' || state.stage === 'error';
}

type Named = FindingPreview & { id: string | null };

function detected(previews: FindingPreview[], data: Record<string, unknown>): FindingPreview[] {
  const preview: Named = {
    id: word(data.finding_id),
    title: word(data.title) ?? 'A finding without a title',
    severity: severityOf(data.severity),
    verified: false,
  };
  return previews.some((one) => isSame(one as Named, preview)) ? previews : [...previews, preview];
}

function verified(previews: FindingPreview[], data: Record<string, unknown>): FindingPreview[] {
  const named = { id: word(data.finding_id), title: word(data.title) ?? '' };
  const stands = data.status === 'verified';
  return previews.map((one) => (isSame(one as Named, named) ? { ...one, verified: stands } : one));
}

/** By id where both have one: two findings may have the same title. */
function isSame(one: { id?: string | null; title: string }, other: { id: string | null; title: string }): boolean {
  return one.id && other.id ? one.id === other.id : one.title === other.title;
}

function agentOf(value: unknown): (typeof AGENTS)[number] | null {
  return AGENTS.find((agent) => agent === value) ?? null;
}

function severityOf(value: unknown): PreviewSeverity {
  return SEVERITIES.find((severity) => severity === value) ?? 'info';
}

function word(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
