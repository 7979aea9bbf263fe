import { PERMISSIONS, type Permission } from './rights.ts'

/** Something of an account has changed: what, by the permissions of those who may see it. */
export interface AccountNotice {
  accountId: string
  about: readonly Permission[]
}

export const ACCOUNT_NOTICE = 'account'

/** As it goes from instance to instance: its topic and its text. */
export const toAccountNotice = ({ accountId, about }: AccountNotice): [string, string] => [
  ACCOUNT_NOTICE,
  [accountId, ...about].join(' '),
]

/** An instance of another version may know permissions that we do not. */
export function readAccountNotice(text: string): AccountNotice {
  const [accountId = '', ...about] = text.split(' ')
  return { accountId, about: about.filter((one): one is Permission => Object.hasOwn(PERMISSIONS, one)) }
}
