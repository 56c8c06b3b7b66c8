import { expect, test } from 'vitest';
import type { PipelineEvent } from './state';
import { looked, tell } from './story';

const event = (type: string, data: Record<string, unknown> = {}): PipelineEvent => ({ type, data, timestamp: '2026-01-01T00:00:00Z' });

test('it says who reads what, and who has done so', () => {
  const told = tell([
    event('agent.started', { agent: 'reviewer', specialist: 'logic', model: 'm' }),
    event('tool.called', { agent: 'reviewer', specialist: 'logic', tool: 'get_file_context', args: { file_path: 'a.py', start_line: 1, end_line: 9 } }),
    event('specialist.finished', { agent: 'reviewer', specialist: 'logic' }),
  ]);
  expect(told.workers).toEqual([expect.objectContaining({ name: 'logic', model: 'm', detail: 'a.py:1–9', calls: 1, isDone: true })]);
});

test('a refuted finding stays listed as refuted', () => {
  const told = tell([event('finding.detected', { finding_id: 'a', title: 'T', severity: 'info' }), event('finding.verified', { finding_id: 'a', status: 'false_positive' })]);
  expect(told.sightings).toEqual([expect.objectContaining({ id: 'a', status: 'false_positive' })]);
});

test('a finding has the severity of the report, and of older streams the word of the contract', () => {
  const told = (data: object, ...later: PipelineEvent[]) => tell([event('finding.detected', { finding_id: 'a', title: 'T', severity: 'warning', ...data }), ...later]).sightings.map((one) => one.severity);
  expect(told({ finding_severity: 'medium' })).toEqual(['medium']);
  expect(told({})).toEqual(['warning']);
  expect(told({ finding_severity: 'high' }, event('finding.verified', { finding_id: 'a', status: 'verified', finding_severity: 'low' }))).toEqual(['low']);
});

test('totals never fall', () => {
  const told = tell([event('usage.updated', { input_tokens: 100, output_tokens: 10, cost_usd: 0.5 }), event('usage.updated', { input_tokens: 50, output_tokens: 5, cost_usd: null })]);
  expect(told).toMatchObject({ tokens: 110, costUsd: 0.5 });
});

const logic = { agent: 'reviewer', specialist: 'logic', model: 'm' };

test('who was cut off by the end has not looked', () => {
  for (const end of [event('pipeline.cancelled', { by: 'ada' }), event('pipeline.failed', { reason: 'gone' })]) {
    const told = tell([
      event('agent.started', logic),
      event('agent.started', { ...logic, specialist: 'security' }),
      event('specialist.finished', { ...logic, specialist: 'security' }),
      end,
    ]);
    expect(told.workers.map((one) => [one.name, one.isDone, one.isCutOff])).toEqual([['logic', false, true], ['security', true, false]]);
  }
});

test('it says who cancelled, until it goes on', () => {
  const cancelled = [event('pipeline.started'), event('agent.started', logic), event('pipeline.cancelled', { by: 'ada' })];
  expect(tell(cancelled).cancelledBy).toBe('ada');
  const resumed = tell([...cancelled, event('pipeline.resumed'), event('agent.started', logic)]);
  expect(resumed).toMatchObject({ cancelledBy: null, endedAt: null });
  expect(resumed.workers[0]).toMatchObject({ isCutOff: false, isDone: false });
});

test('who had nothing to read has not looked', () => {
  const ended = (outcome: string) => tell([event('agent.started', { agent: 'reviewer', specialist: 'oxlint' }), event('specialist.finished', { agent: 'reviewer', specialist: 'oxlint', outcome })]).workers.map(looked);
  expect([...ended('nothing_to_read'), ...ended('did_not_run'), ...ended('looked')]).toEqual(['nothing to read here', 'did not run', 'has looked']);
});

test('calls of tools are those of models: an analyser has simply looked', () => {
  const done = (data: object) => tell([event('agent.started', { ...logic, ...data }), event('tool.called', { ...logic, ...data, tool: 'grep' }), event('specialist.finished', { ...logic, ...data, outcome: 'looked' })]).workers.map(looked);
  expect([...done({}), ...done({ specialist: 'ty', model: '' })]).toEqual(['has looked, with 1 tool call', 'has looked']);
});

test('a question on trial makes nobody a worker', () => {
  const asked = event('agent.started', { agent: 'verifier', model: 'm' });
  expect(tell([asked]).workers).toEqual([]);
  expect(tell([asked, event('agent.handoff', { from: 'reviewer', to: 'verifier' }), asked]).workers).toHaveLength(1);
});
