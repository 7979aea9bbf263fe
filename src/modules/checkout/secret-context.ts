import { sealedIn } from '../../kernel/sealed.ts'

/** Binds an encrypted secret to its checkout, so that it cannot be decrypted for another one. */
export const secretContext = sealedIn(
  { table: 'checkouts', columns: ['webhook_secret'], key: ['id'] },
  (id) => `checkout:${id}`,
)
