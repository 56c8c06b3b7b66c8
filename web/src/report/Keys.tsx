/** The keys of the report, for whoever asks. */
import { Dialog } from '../shell/Dialog';

const MARKING = 'v w n';
const KEYS: [string, string][] = [
  ['j', 'next finding'], ['k', 'previous finding'], ['p', 'judge its proof'], [MARKING, 'mark it valid, wrong, nit; again takes your own mark back'],
  ['o', 'open or close its file'], ['f', 'open or close all files'], ['s', 'side by side or unified'], ['t', 'light or dark'], ['?', 'these keys'], ['Esc', 'back'],
];

export function Keys({ mayMark, close }: { mayMark: boolean; close: () => void }) {
  const offered = KEYS.filter(([key]) => mayMark || key !== MARKING);
  return (
    <Dialog title="Keys" close={close}>
      <dl className="keys">{offered.map(([key, what]) => [<dt key={key}>{key.split(' ').map((one) => <kbd key={one}>{one}</kbd>)}</dt>, <dd key={`${key} is`}>{what}</dd>])}</dl>
    </Dialog>
  );
}
