/** Tell more of a review than its state: who is at work, what became of findings, what was spent. */
import { counted } from '../report/text';
import type { PipelineEvent } from './state';

export interface Worker {
  name: string;
  agent: string;
  model: string;
  tool: string;
  detail: string;
  calls: number;
  isDone: boolean;
  /** The review ended before it had looked to the end. */
  isCutOff: boolean;
  findings: number | null;
  /** `looked`, `nothing_to_read` or `did_not_run`; empty while it is at work. */
  outcome: string;
}

export interface Sighting {
  id: string;
  title: string;
  /** The finding's own; older streams have only the severity of the verdict. */
  severity: string;
  specialist: string;
  place: string;
  status: string | null;
}

export interface Story {
  workers: Worker[];
  sightings: Sighting[];
  tokens: number;
  costUsd: number | null;
  startedAt: string | null;
  endedAt: string | null;
  handoffs: Record<string, Record<string, unknown>>;
  isResumed: boolean;
  /** Who cancelled it; null: nobody did. */
  cancelledBy: string | null;
}

/** The story so far. Events are in order and each is there once. */
export function tell(events: readonly PipelineEvent[]): Story {
  const story: Story = {
    workers: [], sightings: [], tokens: 0, costUsd: null, startedAt: null, endedAt: null, handoffs: {}, isResumed: false, cancelledBy: null,
  };
  for (const event of events) add(story, event);
  return story;
}

function add(story: Story, { type, data, timestamp }: PipelineEvent): void {
  switch (type) {
    case 'pipeline.started':
      story.startedAt ??= timestamp;
      goOn(story);
      break;
    case 'pipeline.resumed':
      story.isResumed = true;
      goOn(story);
      break;
    case 'agent.started':
      // Before the work is its own, the verifier is asked one question on trial: that is no look.
      if (data.agent === 'verifier' && !story.handoffs.verifier) break;
      Object.assign(workerOf(story, data), { model: text(data.model), isCutOff: false });
      break;
    case 'tool.called': {
      const worker = workerOf(story, data);
      worker.tool = text(data.tool);
      worker.detail = subject(data);
      worker.calls += 1;
      break;
    }
    case 'agent.handoff':
      story.handoffs[text(data.to)] = data;
      for (const worker of story.workers) if (worker.agent === data.from) worker.isDone = !worker.isCutOff;
      break;
    case 'specialist.finished': {
      const worker = workerOf(story, data);
      worker.isDone = true;
      worker.isCutOff = false;
      worker.outcome = text(data.outcome);
      worker.findings = count(data.findings ?? data.findings_count);
      break;
    }
    case 'finding.detected':
      detect(story, data);
      break;
    case 'finding.verified':
      verify(story, data);
      break;
    case 'usage.updated':
      spend(story, data);
      break;
    case 'pipeline.completed':
      story.endedAt = timestamp;
      for (const worker of story.workers) worker.isDone = !worker.isCutOff;
      break;
    case 'pipeline.failed':
      stop(story, timestamp);
      break;
    case 'pipeline.cancelled':
      stop(story, timestamp);
      story.cancelledBy = text(data.by) || 'somebody';
  }
}

/** Whoever had not finished when it stopped has not looked. */
function stop(story: Story, timestamp: string): void {
  story.endedAt = timestamp;
  for (const worker of story.workers) worker.isCutOff = !worker.isDone;
}

function goOn(story: Story): void {
  story.endedAt = null;
  story.cancelledBy = null;
}

function workerOf(story: Story, data: Record<string, unknown>): Worker {
  const agent = text(data.agent) || 'reviewer';
  const name = text(data.specialist) || agent;
  const known = story.workers.find((one) => one.name === name && one.agent === agent);
  if (known) return known;
  const fresh: Worker = { name, agent, model: '', tool: '', detail: '', calls: 0, isDone: false, isCutOff: false, findings: null, outcome: '' };
  story.workers.push(fresh);
  return fresh;
}

/** How often a model asked for something to read or to search; an analyser is called once, and that is all it does. */
export function calls(worker: Worker): string {
  return worker.model && worker.calls ? `, with ${counted(worker.calls, 'tool call')}` : '';
}

/** What became of somebody's look, in words. */
export function looked(worker: Worker): string {
  if (worker.outcome === 'nothing_to_read') return 'nothing to read here';
  if (worker.outcome === 'did_not_run') return 'did not run';
  return `has looked${calls(worker)}`;
}

/** What a call is about, in one line: a path with lines, a pattern, a query. */
function subject(data: Record<string, unknown>): string {
  const given = (data.args && typeof data.args === 'object' ? data.args : data) as Record<string, unknown>;
  const path = text(given.file_path ?? given.path);
  const lines = given.start_line ? `:${String(given.start_line)}–${String(given.end_line ?? '')}` : '';
  return path ? path + lines : text(given.pattern ?? given.query ?? given.symbol ?? given.name ?? given.action);
}

function detect(story: Story, data: Record<string, unknown>): void {
  const id = text(data.finding_id) || text(data.title);
  if (story.sightings.some((one) => one.id === id)) return;
  const file = text(data.file);
  story.sightings.push({
    id,
    title: text(data.title) || 'A finding without a title',
    severity: text(data.finding_severity) || text(data.severity) || 'info',
    specialist: text(data.specialist).split('@')[0] ?? '',
    place: file && `${file}${data.line ? `:${String(data.line)}` : ''}`,
    status: null,
  });
}

function verify(story: Story, data: Record<string, unknown>): void {
  const id = text(data.finding_id);
  const found = story.sightings.find((one) => (id ? one.id === id : one.title === data.title));
  if (!found) return;
  found.status = text(data.status);
  // The verifier may have made it milder, or worse.
  found.severity = text(data.finding_severity) || found.severity;
}

function spend(story: Story, data: Record<string, unknown>): void {
  const tokens = count(data.tokens) ?? (count(data.input_tokens) ?? 0) + (count(data.output_tokens) ?? 0);
  // Totals only rise: an older message that was late must not take anything back.
  story.tokens = Math.max(story.tokens, tokens);
  const cost = count(data.cost_usd);
  if (cost !== null) story.costUsd = Math.max(story.costUsd ?? 0, cost);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
