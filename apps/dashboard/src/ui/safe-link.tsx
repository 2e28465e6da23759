/** A link in text that somebody else wrote: it leads to the web or to mail, says where, and tells nobody where it was followed. */
import type { ReactNode } from 'react';
import { safeHref } from './links.js';

export function SafeLink(props: { address: string; children: ReactNode }): ReactNode {
  const { address, children } = props;
  const href = safeHref(address);
  if (href === null) return <span title={address}>{children}</span>;
  const host = new URL(href).host;
  return (
    <a className="link" href={href} target="_blank" rel="noreferrer noopener nofollow">
      {children}
      {host !== '' && !String(children).includes(host) && <span className="link-host"> ({host})</span>}
    </a>
  );
}
