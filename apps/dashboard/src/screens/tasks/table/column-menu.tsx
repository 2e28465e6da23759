/** Which columns are shown. */
import type { ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { useText } from '../../../i18n/texts.js';
import { Icon } from '../../../ui/icon.js';
import { AS_IT_COMES, choicesOf, withShown, type ColumnChoice, type ColumnId } from './columns.js';

export function ColumnMenu(props: {
  choice: ColumnChoice;
  onChange: (choice: ColumnChoice) => void;
}): ReactNode {
  const { choice, onChange } = props;
  const t = useText();
  const columns = choicesOf(choice);
  const shown = columns.filter(({ isShown }) => isShown).map(({ id }) => id);
  return (
    <MenuTrigger>
      <Button className="btn quiet icon only-wide" aria-label={t('columns.title')}>
        <Icon name="cols" />
      </Button>
      <Popover className="menu-frame" placement="bottom end">
        <Menu
          className="menu"
          selectionMode="multiple"
          selectedKeys={shown}
          onSelectionChange={(keys) => {
            if (keys !== 'all') onChange(withShown(choice, keys as Set<ColumnId>));
          }}
        >
          {columns.map(({ id, text }) => (
            <MenuItem key={id} id={id} className="menu-item" textValue={t(text)}>
              {({ isSelected }) => (
                <>
                  <span className="menu-mark">{isSelected && <Icon name="check" small />}</span>
                  {t(text)}
                </>
              )}
            </MenuItem>
          ))}
        </Menu>
        <Menu
          className="menu menu-more"
          aria-label={t('columns.title')}
          onAction={() => onChange(AS_IT_COMES)}
        >
          <MenuItem className="menu-item">{t('columns.reset')}</MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
