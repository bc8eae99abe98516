import { Menu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { Icon } from '../../parts/icons.js';
import { words } from '../../words/en.js';
import { COLUMNS, columnsAmong, DENSITIES } from './event-view.js';
import type { ColumnName, EventView } from './event-view.js';

/** Columns and density of the list. */
export function ViewMenu({
  view,
  onChange,
}: {
  readonly view: EventView;
  readonly onChange: (view: EventView) => void;
}): ReactNode {
  const { columns, density } = view;
  const texts = words.events.view;
  const toggle = (name: ColumnName, isShown: boolean): void =>
    onChange({ ...view, columns: isShown ? columnsAmong([...columns, name]) : columnsAmong(columns, name) });
  return (
    <Menu.Root>
      <Menu.Trigger className="button">{texts.title}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={4} align="end">
          <Menu.Popup className="menu">
            <Menu.Group>
              <Menu.GroupLabel className="menu-label">{texts.columns}</Menu.GroupLabel>
              {COLUMNS.map((name) => (
                <Menu.CheckboxItem
                  key={name}
                  className="menu-item"
                  checked={columns.includes(name)}
                  onCheckedChange={(isShown) => toggle(name, isShown)}
                >
                  <Menu.CheckboxItemIndicator className="menu-mark" keepMounted>
                    {columns.includes(name) ? <Icon name="check" /> : null}
                  </Menu.CheckboxItemIndicator>
                  {words.events.columns[name]}
                </Menu.CheckboxItem>
              ))}
            </Menu.Group>
            <Menu.Separator className="menu-line" />
            <Menu.Group>
              <Menu.GroupLabel className="menu-label">{texts.density}</Menu.GroupLabel>
              <Menu.RadioGroup
                value={density}
                onValueChange={(value: EventView['density']) => onChange({ ...view, density: value })}
              >
                {DENSITIES.map((name) => (
                  <Menu.RadioItem key={name} className="menu-item" value={name}>
                    <Menu.RadioItemIndicator className="menu-mark" keepMounted>
                      {density === name ? <Icon name="check" /> : null}
                    </Menu.RadioItemIndicator>
                    {texts.densities[name]}
                  </Menu.RadioItem>
                ))}
              </Menu.RadioGroup>
            </Menu.Group>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
