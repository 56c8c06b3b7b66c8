import { expect, test } from 'vitest';
import type { PipelineEvent } from './state';
import { tell } from './story';

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

test('totals never fall', () => {
  const told = tell([event('usage.updated', { input_tokens: 100, output_tokens: 10, cost_usd: 0.5 }), event('usage.updated', { input_tokens: 50, output_tokens: 5, cost_usd: null })]);
  expect(told).toMatchObject({ tokens: 110, costUsd: 0.5 });
});
