import type { Db } from '../../../kernel/db.ts'
import type { SecretBox } from '../../../kernel/ports.ts'
import { listSuppressed } from '../recipients-store.ts'
import { fingerprintOf } from '../context.ts'

/** Whether the person behind an address has asked this gateway for no more mails, from any sender. */
export async function wantsNoMail(db: Db, secrets: SecretBox, email: string): Promise<boolean> {
  const hash = fingerprintOf({ ports: { secrets } }, email)
  return (await listSuppressed(db, [hash])).has(hash)
}
