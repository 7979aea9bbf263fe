import { PERMISSIONS, type Permission } from './rights.ts'

/** A notice that something of an account has changed: `about` are the permissions of those who may see it. */
export interface AccountNotice {
  accountId: string
  about: readonly Permission[]
}

export const ACCOUNT_NOTICE = 'account'

/** The form in which it goes from instance to instance: a topic and a text. */
export const toAccountNotice = ({ accountId, about }: AccountNotice): [string, string] => [
  ACCOUNT_NOTICE,
  [accountId, ...about].join(' '),
]

/** An instance of another version may know permissions that we do not. */
export function readAccountNotice(text: string): AccountNotice {
  const [accountId = '', ...about] = text.split(' ')
  return { accountId, about: about.filter((one): one is Permission => Object.hasOwn(PERMISSIONS, one)) }
}
