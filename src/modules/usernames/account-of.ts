import type { Caller } from '../../kernel/ctx.ts'

/** Whose list a name will be in. A public key is readable by anybody and says nothing about who holds it. */
export const accountOf = (caller: Caller) =>
  caller.kind === 'account' && caller.door === 'secret-key' ? caller.accountId : null
