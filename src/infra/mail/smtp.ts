import { createTransport } from 'nodemailer'
import type { Mailer } from '../../kernel/ports.ts'

/** A server that says nothing must not hold a job for minutes; the URL may set other values. */
const LIMITS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Mail through a server. The message id is ours, so that a mail sent twice can be told by its receiver. */
export function smtpMailer(url: string, from: string): Mailer & { close(): void } {
  const transport = createTransport({ url, ...LIMITS, disableFileAccess: true, disableUrlAccess: true })
  const domain = from.split('@')[1]?.replace(/>$/, '') ?? 'localhost'
  return {
    async send({ id, recipient, subject, text }) {
      // As an object the address is taken as it is; a text would be read as a list of addresses.
      const to = { name: '', address: recipient }
      await transport.sendMail({ from, to, subject, text, messageId: `<${id}@${domain}>` })
    },
    close: () => transport.close(),
  }
}
