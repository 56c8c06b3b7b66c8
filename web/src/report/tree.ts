/** Paths as a tree of folders; a folder with nothing but one folder in it is written with it in one line. */

export interface Branch<Leaf> {
  name: string;
  path: string;
  leaf: Leaf | null;
  children: Branch<Leaf>[];
}

export function grow<Leaf>(leaves: readonly { path: string; leaf: Leaf }[]): Branch<Leaf>[] {
  const root: Branch<Leaf> = { name: '', path: '', leaf: null, children: [] };
  const folders = new Map<string, Branch<Leaf>>([['', root]]);
  for (const { path, leaf } of leaves) {
    const at = path.lastIndexOf('/');
    folder(folders, at < 0 ? '' : path.slice(0, at)).children.push({ name: path.slice(at + 1), path, leaf, children: [] });
  }
  return root.children.map(shortened).sort(foldersFirst);
}

function folder<Leaf>(folders: Map<string, Branch<Leaf>>, path: string): Branch<Leaf> {
  const known = folders.get(path);
  if (known) return known;
  const at = path.lastIndexOf('/');
  const fresh: Branch<Leaf> = { name: path.slice(at + 1), path, leaf: null, children: [] };
  folders.set(path, fresh);
  folder(folders, at < 0 ? '' : path.slice(0, at)).children.push(fresh);
  return fresh;
}

function shortened<Leaf>(branch: Branch<Leaf>): Branch<Leaf> {
  const only = branch.children[0];
  if (branch.leaf === null && branch.children.length === 1 && only && only.leaf === null) {
    return shortened({ ...only, name: `${branch.name}/${only.name}` });
  }
  return { ...branch, children: branch.children.map(shortened).sort(foldersFirst) };
}

function foldersFirst<Leaf>(one: Branch<Leaf>, other: Branch<Leaf>): number {
  return Number(one.leaf !== null) - Number(other.leaf !== null) || one.name.localeCompare(other.name);
}
