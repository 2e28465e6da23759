/** Buttons, and links that look like them. */
import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { Icon, type IconName } from './icon.js';

interface Look {
  /** `primary`: at most one on a screen. @defaultValue a plain button */
  readonly kind?: 'primary' | 'quiet' | 'danger' | undefined;
  readonly small?: boolean | undefined;
  readonly icon?: IconName | undefined;
  /** The key that does the same. */
  readonly shortcut?: string | undefined;
}

type ButtonProps = Look & ComponentProps<'button'>;

export function Button({
  kind,
  small,
  icon,
  shortcut,
  className,
  children,
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button type="button" className={classOf({ kind, small }, className)} {...rest}>
      {icon !== undefined && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
      {shortcut !== undefined && <Key name={shortcut} />}
    </button>
  );
}

/** A button that is an icon only; its label is read and shown on hover. */
export function IconButton(props: Omit<ButtonProps, 'icon'> & { icon: IconName; label: string }): ReactNode {
  const { icon, label, kind = 'quiet', small, className, ...rest } = props;
  return (
    <button
      type="button"
      className={`${classOf({ kind, small }, className)} icon`}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}

function AnchorButton({
  kind,
  small,
  icon,
  shortcut,
  className,
  children,
  ...rest
}: Look & ComponentProps<'a'>): ReactNode {
  return (
    <a className={classOf({ kind, small }, className)} {...rest}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
      {shortcut !== undefined && <Key name={shortcut} />}
    </a>
  );
}

export const ButtonLink = createLink(AnchorButton);

/** The cap of a key. */
export function Key({ name }: { name: string }): ReactNode {
  return (
    <span className="kbd" aria-hidden="true">
      {name}
    </span>
  );
}

function classOf({ kind, small }: Look, more = ''): string {
  return ['btn', kind ?? '', small ? 'sm' : '', more].filter((name) => name !== '').join(' ');
}
