/** planner → reviewer → verifier → reporter, and where the review is. */
import { AGENTS, type PipelineEvent, type PipelineStage } from './state';
import { counted, oneLine } from '../report/text';

const TASKS: Record<string, string> = {
  planner: 'What is the change for?',
  reviewer: 'Specialists look, side by side',
  verifier: 'Tries to refute each finding',
  reporter: 'Verdict and words',
};

export function Stages({ stage, events, activeTool, isCancelled }: { stage: PipelineStage; events: PipelineEvent[]; activeTool: string | null; isCancelled: boolean }) {
  const reached = furthest(stage, events);
  return (
    <ol className={`stages ${stage}`} aria-label="Stages">
      {AGENTS.map((agent, index) => {
        const state = stateOf(agent, index, stage, reached, isCancelled);
        return (
          <li key={agent} className={state} aria-current={state === 'active' ? 'step' : undefined}>
            <span className="bullet" aria-hidden="true">{MARKS[state] ?? index + 1}</span>
            <strong>{agent}</strong>
            <span className="task">{state === 'active' && activeTool ? <code>{oneLine(activeTool, 60)}</code> : (handed(agent, events) ?? TASKS[agent])}</span>
            <span className="visually-hidden">{state === 'stopped' ? 'cancelled here' : state}</span>
          </li>
        );
      })}
    </ol>
  );
}

type Standing = 'done' | 'active' | 'failed' | 'stopped' | 'ahead';

const MARKS: Partial<Record<Standing, string>> = { done: '✓', failed: '!', stopped: '■' };

function stateOf(agent: string, index: number, stage: PipelineStage, reached: number, isCancelled: boolean): Standing {
  if (stage === 'complete' || index < reached) return 'done';
  if (stage === 'error') return index === reached ? (isCancelled ? 'stopped' : 'failed') : 'ahead';
  return agent === stage ? 'active' : 'ahead';
}

/** How far it came: after a failure the state names no agent any more. */
function furthest(stage: PipelineStage, events: PipelineEvent[]): number {
  const here = AGENTS.indexOf(stage as (typeof AGENTS)[number]);
  if (here >= 0) return here;
  const named = events.filter((event) => event.type === 'agent.handoff').map((event) => AGENTS.indexOf(event.data.to as (typeof AGENTS)[number]));
  return Math.max(0, ...named);
}

/** What an agent handed on, in numbers. */
function handed(agent: string, events: PipelineEvent[]): string | null {
  const handoff = events.findLast((event) => event.type === 'agent.handoff' && event.data.from === agent);
  if (!handoff) return null;
  const number = (key: string) => (typeof handoff.data[key] === 'number' ? (handoff.data[key] as number) : null);
  const chunks = number('chunks_count');
  const findings = number('findings_count');
  const verified = number('verified_count');
  if (chunks !== null) return counted(chunks, 'chunk');
  if (findings !== null) return `${counted(findings, 'finding')} handed on`;
  return verified === null ? null : `${verified} verified`;
}
