import { createTransport } from 'nodemailer'
import { MailRefused } from '../../kernel/mail-job.ts'
import type { Mailer } from '../../kernel/ports.ts'

/** A server that does not answer must not block a job for minutes; the URL may set other limits. */
const LIMITS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Sends mail through a server. The message id is ours, so that a mail that is sent twice can be recognised. */
export function smtpMailer(url: string, from: string): Mailer & { close(): void } {
  const transport = createTransport({ url, ...LIMITS, disableFileAccess: true, disableUrlAccess: true })
  const domain = from.split('@')[1]?.replace(/>$/, '') ?? 'localhost'
  return {
    async send({ id, recipient, subject, text, html }) {
      // An object is taken as one address; a text would be parsed as a list of addresses.
      const to = { name: '', address: recipient }
      const messageId = `<${id}@${domain}>`
      try {
        await transport.sendMail({ from, to, subject, text, ...(html !== undefined && { html }), messageId })
      } catch (error) {
        throw toFailure(error)
      }
    },
    close: () => transport.close(),
  }
}

/**
 * The reason of a failure, without the server's own message, which often names the recipient and would be stored and
 * logged with the job. A refusal is permanent only if the recipient is the problem, not the sender or the server.
 */
function toFailure(error: unknown): Error {
  const { code, command, responseCode } = error as { code?: unknown; command?: unknown; responseCode?: unknown }
  if (command === 'RCPT TO' && typeof responseCode === 'number' && responseCode >= 500) {
    return new MailRefused('The server takes no mail for this recipient.')
  }
  // No command was sent yet, so the error says why there is no connection.
  if (command === 'CONN' && responseCode === undefined && error instanceof Error) return error
  const facts = [code, command, responseCode].filter((fact) => typeof fact === 'string' || typeof fact === 'number')
  return new Error(`The mail server did not take the mail (${facts.join(', ') || 'no reason given'}).`)
}
