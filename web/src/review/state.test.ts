import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AGENTS, idle, type NumberedEvent, reduce, type ReviewState, STAGES } from './state';

const NAMES = [
  'pipeline.started', 'pipeline.resumed', 'agent.started', 'agent.handoff', 'tool.called', 'finding.detected',
  'finding.verified', 'specialist.finished', 'usage.updated', 'program.run', 'pipeline.completed',
  'pipeline.failed', 'pipeline.cancelled', 'something.new', '',
];
const agent = fc.constantFrom(...AGENTS, 'somebody', '');
const data = fc.oneof(
  fc.record(
    {
      agent, from: agent, to: agent,
      tool: fc.constantFrom('get_file_context', 'grep', ''),
      title: fc.constantFrom('SQL injection', 'Off by one', '<script>', ''),
      severity: fc.constantFrom('critical', 'warning', 'info', 'style', 'high', 'nonsense'),
      status: fc.constantFrom('verified', 'likely', 'unverified', 'false_positive', 'nonsense'),
      finding_id: fc.constantFrom('a-0', 'b-1', 'c-2'),
      reason: fc.string(), by: fc.string(), review_id: fc.constantFrom('r-1', 'r-2'),
    },
    { requiredKeys: [] },
  ),
  fc.dictionary(fc.constantFrom('agent', 'to', 'title', 'tool', 'severity', 'reason'), fc.jsonValue()),
) as fc.Arbitrary<Record<string, unknown>>;
const story: fc.Arbitrary<NumberedEvent[]> = fc
  .array(fc.record({ type: fc.constantFrom(...NAMES), data }), { maxLength: 40 })
  .map((events) => events.map((event, index) => ({ ...event, id: index + 1, timestamp: '2026-01-01T00:00:00Z' })));

const told = (events: NumberedEvent[]): ReviewState =>
  events.reduce((state, event) => reduce(state, { kind: 'heard', events: [event] }), idle('r-1'));

function assertValid(state: ReviewState): void {
  expect(Object.keys(state).sort()).toEqual(
    ['activeAgent', 'activeTool', 'error', 'events', 'findingsPreview', 'reviewId', 'stage', 'verdict'],
  );
  expect(STAGES).toContain(state.stage);
  expect(state.error !== null).toBe(state.stage === 'error');
  if (state.verdict !== null) expect(state.stage).toBe('complete');
  if (['idle', 'complete', 'error'].includes(state.stage)) expect(state.activeAgent).toBeNull();
  else expect(state.activeAgent).toBe(state.stage);
  if (state.activeAgent === null) expect(state.activeTool).toBeNull();
  for (const preview of state.findingsPreview) {
    expect(['critical', 'warning', 'info', 'style']).toContain(preview.severity);
    expect(typeof preview.verified).toBe('boolean');
    expect(preview.title).not.toBe('');
  }
  const ids = state.events.map((event) => (event as NumberedEvent).id);
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
}

describe('any order and repetition of events', () => {
  test('gives a valid state at every step', () => {
    fc.assert(
      fc.property(story, fc.infiniteStream(fc.nat()), (events, picks) => {
        let state: ReviewState = idle('r-1');
        for (let turn = 0; turn < events.length * 2; turn++) {
          const event = events[picks.next().value % events.length];
          if (event) state = reduce(state, { kind: 'heard', events: [event] });
          assertValid(state);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('ends in the state that the right order gives', () => {
    fc.assert(
      fc.property(story, fc.func(fc.nat()), (events, rank) => {
        const shuffled = [...events, ...events].sort((one, other) => rank(one.id, one.type) - rank(other.id, other.type));
        expect(told(shuffled)).toEqual(told(events));
      }),
      { numRuns: 300 },
    );
  });

  test('does not depend on how they are bundled', () => {
    fc.assert(
      fc.property(story, (events) => {
        expect(reduce(idle('r-1'), { kind: 'heard', events: [...events].reverse() })).toEqual(told(events));
      }),
    );
  });

  test('never changes a state that was handed out', () => {
    fc.assert(
      fc.property(story, (events) => {
        const first = told(events.slice(0, 5));
        const before = JSON.stringify(first);
        reduce(first, { kind: 'heard', events });
        expect(JSON.stringify(first)).toBe(before);
      }),
    );
  });
});

const number = (events: [string, Record<string, unknown>][]): NumberedEvent[] =>
  events.map(([type, content], index) => ({ id: index + 1, type, data: content, timestamp: '' }));
const REVIEW = number([
  ['pipeline.started', { review_id: 'r-1', agent: 'planner' }],
  ['agent.started', { agent: 'planner', model: 'm' }],
  ['agent.handoff', { from: 'planner', to: 'reviewer' }],
  ['tool.called', { agent: 'reviewer', tool: 'get_file_context' }],
  ['finding.detected', { severity: 'critical', title: 'SQL injection', finding_id: 'a-0' }],
  ['finding.detected', { severity: 'info', title: 'SQL injection', finding_id: 'b-0' }],
  ['agent.handoff', { from: 'reviewer', to: 'verifier' }],
  ['finding.verified', { title: 'SQL injection', status: 'verified', finding_id: 'a-0' }],
  ['finding.verified', { title: 'SQL injection', status: 'false_positive', finding_id: 'b-0' }],
  ['agent.handoff', { from: 'verifier', to: 'reporter' }],
  ['pipeline.completed', { verdict: 'request_changes' }],
]);

describe('a review', () => {
  test('goes through its stages', () => {
    const stages = REVIEW.map((_, index) => told(REVIEW.slice(0, index + 1)).stage);
    expect([...new Set(stages)]).toEqual(['planner', 'reviewer', 'verifier', 'reporter', 'complete']);
  });

  test('has no stage for a question on trial, and none that goes back', () => {
    const asked = number([
      ['pipeline.started', { agent: 'planner' }],
      ['agent.started', { agent: 'planner' }],
      ['agent.started', { agent: 'verifier' }],
      ['agent.started', { agent: 'reviewer', specialist: 'ruff' }],
      ['tool.called', { agent: 'reviewer', specialist: 'ruff', tool: 'ruff' }],
      ['agent.handoff', { from: 'planner', to: 'reviewer' }],
      ['agent.handoff', { from: 'reviewer', to: 'verifier' }],
      ['agent.started', { agent: 'reviewer' }],
      ['agent.handoff', { from: 'planner', to: 'reviewer' }],
    ]);
    const told_so_far = asked.map((_, index) => told(asked.slice(0, index + 1)));
    expect(told_so_far.map((one) => one.stage)).toEqual([...Array<string>(5).fill('planner'), 'reviewer', 'verifier', 'verifier', 'verifier']);
    expect(told_so_far[4]).toMatchObject({ activeAgent: 'planner', activeTool: null });
  });

  test('that goes on stands where it stood', () => {
    const resumed = number([['pipeline.started', {}], ['agent.handoff', { from: 'planner', to: 'reviewer' }], ['pipeline.failed', { reason: 'gone' }], ['pipeline.resumed', {}], ['agent.started', { agent: 'verifier' }]]);
    expect(told(resumed)).toMatchObject({ stage: 'reviewer', error: null });
  });

  test('names the tool of its active agent, and drops it with the agent', () => {
    expect(told(REVIEW.slice(0, 4))).toMatchObject({ activeAgent: 'reviewer', activeTool: 'get_file_context' });
    expect(told(REVIEW.slice(0, 7))).toMatchObject({ activeAgent: 'verifier', activeTool: null });
  });

  test('tells two findings of one title apart', () => {
    expect(told(REVIEW).findingsPreview.map((one) => one.verified)).toEqual([true, false]);
  });

  test('takes a verdict only when it is complete', () => {
    const verdict = { verdict: 'approve' };
    expect(reduce(told(REVIEW.slice(0, 4)), { kind: 'decided', verdict }).verdict).toBeNull();
    expect(reduce(told(REVIEW), { kind: 'decided', verdict }).verdict).toBe(verdict);
  });

  test('that failed says why, and a new start clears it', () => {
    const broken = number([...REVIEW.slice(0, 4).map((one): [string, Record<string, unknown>] => [one.type, one.data]),
      ['pipeline.failed', { stage: 'reviewer', reason: 'The model is gone.' }]]);
    expect(told(broken)).toMatchObject({ stage: 'error', error: 'The model is gone.', activeAgent: null });
    const again = { id: 99, type: 'pipeline.started', data: {}, timestamp: '' };
    expect(told([...broken, again])).toMatchObject({ stage: 'planner', error: null });
  });

  test('of another id starts from nothing', () => {
    expect(reduce(told(REVIEW), { kind: 'opened', reviewId: 'r-2' })).toEqual(idle('r-2'));
  });
});
