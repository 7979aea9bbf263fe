import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { findProfile } from '../profile-store.ts'
import { findAccount } from '../store.ts'
import type { Member } from './member.ts'

export const MAIL_INVITATION = 'accounts.mail-invitation'

/** Payload of the job that mails an invitation. It has neither the address nor the token, which is made when the mail is sent. */
export interface AskedInvitation {
  mailId: string
  accountId: string
  memberId: string
  baseUrl: string
}

/** How people know an account: by its public name, its address, or its id. */
export async function labelOf({ db }: Pick<StoreCtx, 'db'>, accountId: string): Promise<string> {
  const { name } = await findProfile(db, accountId)
  return name ?? (await findAccount(db, accountId))?.email ?? accountId
}

/** Mails someone what was done about them, in the transaction that does it. */
export async function mailPerson(
  tx: StoreCtx,
  { email }: Pick<Member, 'email'>,
  subject: string,
  lines: readonly string[],
) {
  const mail = { id: tx.ids.next('mail'), recipient: email, subject, text: lines.join('\n') }
  await enqueue(tx, { kind: 'mail.send', payload: mail, key: mail.id })
}
