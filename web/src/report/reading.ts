/** The report that is open, with what is looked up in it again and again. */
import { createContext, useContext } from 'react';
import type { Summary } from '../history/summary';
import type { Candidate, Finding, Report, Said } from './findings';
import { lineAnchor, type Under } from './under';

export interface Reading {
  report: Report;
  /** Of the review, in the API. */
  address: string;
  summary: Summary;
  shown: Said[];
  withheld: Candidate[];
  anchors: Map<string, string>;
  /** What each finding stands for, by its id. */
  under: Map<string, Under>;
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
