import { OPERATOR } from '../../src/kernel/actor.ts'
import { createHash } from 'node:crypto'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import { type Raw, parseNano } from '../../src/kernel/money.ts'
import type { Mail, Mailer } from '../../src/kernel/ports.ts'
import type { EmailContext } from '../../src/modules/email/context.ts'
import type { EmailPorts } from '../../src/modules/email/ports.ts'
import { openEmailPayment } from '../../src/modules/email/domain/open.ts'
import { listRecipients } from '../../src/modules/email/recipients-store.ts'
import { NO_NAMES } from './checkout-context.ts'
import { testRandom } from './random.ts'
import type { Instance, WalletWorld } from './wallet-world.ts'

/* Email payments in processes that may die, on top of the world of wallets. */

const secrets = openSecretBox(createHash('sha256').update('test').digest(), testRandom)
export const FEE = parseNano('0.1')!

const ports: EmailPorts = {
  rules: { feeEach: FEE, recipientsPerDayMax: 0, mailsPerAddressMax: 0, addressesKept: 90 * 86_400_000 },
  links: {
    page: (id) => `http://gateway.test/email/${id}`,
    check: (id) => `http://gateway.test/email/${id}/check`,
    claim: (token) => `http://gateway.test/claim#${token}`,
    decline: (token) => `http://gateway.test/claim/decline#${token}`,
    claimPage: () => 'http://gateway.test/claim',
    block: (hash) => `http://explorer.test/${hash}`,
  },
  secrets,
}

export const toEmailCtx = ({ ctx }: Instance): EmailContext => ({
  ...ctx,
  ports,
  names: NO_NAMES,
})

/** All delivered mails, through servers whose connections may break. */
export class MailBox {
  readonly mails: Mail[] = []

  mailerOf({ faults }: Instance): Mailer {
    return { send: (mail) => faults.call(() => Promise.resolve(void this.mails.push(mail))) }
  }

  /** Codes mailed for the share of a recipient. */
  codesFor(recipientId: string): string[] {
    const mails = this.mails.filter(({ id }) => id === `mail_${recipientId}`)
    return mails.map(({ text }) => /\/claim#([\w-]{43})$/m.exec(text)![1]!)
  }
}

export interface Opened {
  id: string
  walletId: string
  address: string
  recipientIds: string[]
}

/** An unfunded payment to that many people. */
export async function openPayment(
  world: WalletWorld,
  instance: Instance,
  { refundAddress, amount, people }: { refundAddress: string; amount: Raw; people: number },
): Promise<Opened> {
  const { id, walletId, address } = await openEmailPayment(
    toEmailCtx(instance),
    { accountId: world.accountId, rights: undefined, actor: OPERATOR },
    {
      refundAddress,
      amount,
      emails: Array.from({ length: people }, (_, at) => `person${at}@example.com`),
      sender: 'Zoë',
      message: null,
      receipt: 'sender@example.com',
      lifetimeMilliseconds: 86_400_000,
    },
  )
  const recipients = await listRecipients(world.db, id)
  return { id, walletId, address, recipientIds: recipients.map((recipient) => recipient.id) }
}

export async function treasuryOf({ db }: WalletWorld): Promise<string> {
  const row = await db
    .selectFrom('wallets')
    .select('address')
    .where('purpose', '=', 'treasury')
    .executeTakeFirstOrThrow()
  return row.address
}
