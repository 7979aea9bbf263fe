import { MailRefused } from '../../../kernel/mail-job.ts'
import type { Mail, Mailer } from '../../../kernel/ports.ts'

/** Anyone can enter any address, so a mail server that refuses one is not a failure of ours. */
export async function mailIfTaken(mailer: Mailer, mail: Mail): Promise<void> {
  try {
    await mailer.send(mail)
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error
  }
}
