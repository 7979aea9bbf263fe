import type { Action } from '../kernel/action.ts'
import type { Caller } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import { type Scope, requireScope } from '../kernel/rights.ts'

/**
 * Refuses a caller who may not use an action. A secret key may do everything that a public key or an anonymous caller
 * may, as far as its scopes allow.
 */
export function authorize(action: Action, caller: Caller, scope: Scope): void {
  if (caller.kind === 'account') requireScope(caller, scope)
  if (action.auth === 'none') return
  if (caller.kind === 'anonymous') {
    throw new AppError('key_required', `API key required for ${action.name}.`)
  }
  if (action.auth === 'secret-key' && caller.access !== 'secret-key') {
    throw new AppError('feature_disabled', `A public key cannot call ${action.name}.`)
  }
}
