import { useId } from 'react';
import type { ReactNode } from 'react';
import { Dialog } from '../parts/dialog.js';
import { setPreferences, usePreferences } from '../preferences.js';
import { words } from '../words/en.js';

export function ShortcutList({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { shortcuts } = usePreferences();
  const id = useId();
  return (
    <Dialog title={words.keys.title} onClose={onClose}>
      <table className="keys">
        <tbody>
          {words.keys.list.map(([key, what]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="check">
        <input
          id={id}
          type="checkbox"
          checked={shortcuts}
          onChange={(event) => setPreferences({ shortcuts: event.target.checked })}
        />
        <label htmlFor={id}>{words.keys.enabled}</label>
      </p>
    </Dialog>
  );
}
