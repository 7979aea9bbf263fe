import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { PutOff, enqueue } from '../../../kernel/job.ts'
import { MailRefused } from '../../../kernel/mail-job.ts'
import type { Mailer } from '../../../kernel/ports.ts'
import { findAccount } from '../../accounts/index.ts'
import { type NameLease, findLease, listUnreported, markReported, toDay } from '../../names/index.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const PAGE = 500
/** Longer leases get a notice a week before their end; for a lease of days that would come too early. */
const LONG_LEASE = 14 * DAY
const WARNING = 7 * DAY
const SHORT_WARNING = 12 * HOUR

/** The notice that applies at a time: 1 ends soon, 2 has ended, 3 is free again. */
function noticeAt({ createdAt, expiresAt, graceUntil }: NameLease, now: number): 0 | 1 | 2 | 3 {
  if (now >= graceUntil) return 3
  if (now >= expiresAt) return 2
  const warning = expiresAt - createdAt > LONG_LEASE ? WARNING : SHORT_WARNING
  return now >= expiresAt - warning ? 1 : 0
}

/** Name of the job that mails a notice. */
export const MAIL_NOTICE = 'usernames.mail-notice'

export interface AskedNotice {
  key: string
  expiresAt: number
  notice: 1 | 2 | 3
  /** The previous notice. */
  told: number
}

/**
 * Queues mails to accounts about the end of their leases. Notices missed while the gateway was down are skipped, and only the current one is sent.
 * An unsent notice is queued again as long as it applies; while a job waits, this adds nothing.
 */
export async function remindOwners(ctx: StoreCtx): Promise<void> {
  const now = ctx.clock.now()
  // Reads all pages, because owners who need no notice for days stay in the list and must not hide others.
  for (let after: Unnotified | undefined; ;) {
    const page: Unnotified[] = await listUnreported(ctx.db, { expiresBefore: now + WARNING, after, limit: PAGE })
    for (const lease of page) {
      const notice = noticeAt(lease, now)
      if (notice === 0 || notice <= lease.told) continue
      const { key, expiresAt, told } = lease
      const payload: AskedNotice = { key, expiresAt, notice, told }
      await enqueue(ctx, { kind: MAIL_NOTICE, payload, key: `${key} ${expiresAt} ${notice}` })
    }
    after = page.at(-1)
    if (page.length < PAGE) break
  }
  ctx.wakeJobs()
}

type Unnotified = Awaited<ReturnType<typeof listUnreported>>[number]

/** Mails a notice and records it afterwards. If it is sent twice, mailboxes recognise the duplicate by its message id. */
export async function mailNotice(
  { db, clock }: StoreCtx,
  mailer: Mailer,
  { key, expiresAt, notice, told }: AskedNotice,
  baseUrl: string,
): Promise<void> {
  const lease = await findLease(db, key)
  if (!lease || lease.expiresAt !== expiresAt || noticeAt(lease, clock.now()) !== notice) return
  const recipient = lease.accountId === null ? null : (await findAccount(db, lease.accountId))?.email
  try {
    if (recipient) await mailer.send(toMail(lease, notice, { recipient, baseUrl }))
  } catch (error) {
    // The owner may get a working mailbox before the name is lost, so it is tried again each day.
    if (error instanceof MailRefused) throw new PutOff(clock.now() + DAY, error.message)
    throw error
  }
  await markReported(db, { key, expiresAt, told }, notice)
}

function toMail(
  { key, name, owner, expiresAt, graceUntil }: NameLease,
  notice: 1 | 2 | 3,
  { recipient, baseUrl }: { recipient: string; baseUrl: string },
) {
  const renew = `To renew it, ask ${baseUrl} for get_name and pay from ${owner}.`
  const { subject, lines } = {
    1: {
      subject: `@${name} ends on ${toDay(expiresAt)}`,
      lines: [`The lease of @${name} ends on ${toDay(expiresAt)} (UTC).`, '', renew],
    },
    2: {
      subject: `Your lease of @${name} has expired`,
      lines: [
        `Your lease of @${name} has expired and payments to it are refused.`,
        `Until ${toDay(graceUntil)} (UTC) only you can renew it.`,
        '',
        renew,
      ],
    },
    3: { subject: `@${name} is free again`, lines: [`@${name} was not renewed. Anyone can lease it now.`] },
  }[notice]
  return { id: `mail_name_${key}_${expiresAt}_${notice}`, recipient, subject, text: lines.join('\n') }
}
