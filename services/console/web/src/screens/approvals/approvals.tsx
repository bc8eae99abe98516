import type { ReactNode } from 'react';
import type { ScreenProps } from '../screen-props.js';
import { ApprovalList } from './approval-list.js';
import { ApprovalPage } from './approval-page.js';

const ONE = /^\/(apr_[\w-]{1,64})$/;

/** `/approvals`: what waits for a decision, and what was decided; `/approvals/<id>`: one of them. */
export function Approvals({ rest, query }: ScreenProps): ReactNode {
  const id = ONE.exec(rest)?.[1];
  return id === undefined ? <ApprovalList state={query.get('state')} /> : <ApprovalPage key={id} id={id} />;
}
