import { PERMISSIONS, type Permission } from './rights.ts'

/** A notice that something of an account has changed. `about` are the permissions that allow seeing it. */
export interface AccountNotice {
  accountId: string
  about: readonly Permission[]
}

export const ACCOUNT_NOTICE = 'account'

/** The notice as text, as instances send it to each other. */
export const toAccountNotice = ({ accountId, about }: AccountNotice): [string, string] => [
  ACCOUNT_NOTICE,
  [accountId, ...about].join(' '),
]

/** An instance of another version may know permissions that we do not know. */
export function readAccountNotice(text: string): AccountNotice {
  const [accountId = '', ...about] = text.split(' ')
  return { accountId, about: about.filter((one): one is Permission => Object.hasOwn(PERMISSIONS, one)) }
}
