/** The keys of the report, for whoever asks. */
import { Dialog } from '../shell/Dialog';

const KEYS: [string, string][] = [
  ['j', 'next finding'], ['k', 'previous finding'], ['p', 'judge its proof'], ['v w n', 'mark it valid, wrong, nit; again takes the mark back'],
  ['o', 'open or close its file'], ['f', 'open or close all files'], ['s', 'side by side or unified'], ['t', 'light or dark'], ['?', 'these keys'], ['Esc', 'back'],
];

export function Keys({ close }: { close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <dl className="keys">{KEYS.map(([key, what]) => [<dt key={key}>{key.split(' ').map((one) => <kbd key={one}>{one}</kbd>)}</dt>, <dd key={`${key} is`}>{what}</dd>])}</dl>
    </Dialog>
  );
}
