import { encryptedIn } from '../../kernel/encrypted.ts'

/** Binds an encrypted secret to its checkout, so that it cannot be decrypted for another one. */
export const secretContext = encryptedIn(
  { table: 'checkouts', columns: ['webhook_secret'], key: ['id'] },
  (id) => `checkout:${id}`,
)
