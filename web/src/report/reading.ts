/** The report that is open, with what is looked up in it again and again. */
import { createContext, useContext } from 'react';
import type { Summary } from '../history/summary';
import { type Finding, lineAnchor, type Listed, type Report, type Said, type View } from './findings';

export interface Reading {
  report: Report;
  /** How it is shown: order, words, places, proofs. */
  view: View;
  /** Of the review, in the API. */
  address: string;
  summary: Summary;
  shown: Said[];
  withheld: Listed[];
  /** All of them, by id. */
  known: Map<string, Listed>;
  anchors: Map<string, string>;
  /** The filters as they stand in the address: they go along to a proof and back. */
  search: string;
}

export const ReportContext = createContext<Reading | null>(null);

export function useReading(): Reading {
  const reading = useContext(ReportContext);
  if (!reading) throw new Error('no report is open');
  return reading;
}

export function proofAddress(reading: Reading, candidateId: string): string {
  return `/review/${reading.summary.review_id}/finding/${reading.anchors.get(candidateId) ?? ''}${reading.search}`;
}

/** The finding in its place in the diff. */
export function diffAddress(reading: Reading, candidateId: string): string {
  return `/review/${reading.summary.review_id}${reading.search}#${reading.anchors.get(candidateId) ?? ''}`;
}

/** The line of a finding in the diff. */
export function lineAddress(reading: Reading, finding: Finding): string {
  return `/review/${reading.summary.review_id}${reading.search}#${lineAnchor(finding)}`;
}
