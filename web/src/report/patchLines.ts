/** What each line of a unified diff is. */

export type Kind = 'meta' | 'added' | 'removed' | 'kept';

/** By its mark within a hunk; what stands before a hunk names files. */
export function kindsOf(lines: readonly string[]): Kind[] {
  let isInHunk = false;
  return lines.map((line, index) => {
    if (line.startsWith('@@ ')) {
      isInHunk = true;
      return 'meta';
    }
    // A removed line may begin with two dashes, too: only three lines together name the next file.
    const isNextFile = line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') && lines[index + 2]?.startsWith('@@ ');
    if (isNextFile || line.startsWith('diff --git ')) isInHunk = false;
    if (!isInHunk) return 'meta';
    return line[0] === '+' ? 'added' : line[0] === '-' ? 'removed' : 'kept';
  });
}
