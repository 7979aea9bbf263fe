import { AppError, overLimit } from '../../kernel/errors.ts'

/** Also the answer for a point of sale of another account, and to a request without the right link. */
export const posNotFound = () => new AppError('not_found', 'Point of sale not found.')
export const saleNotFound = () => new AppError('not_found', 'Sale not found.')
export const tooManyPos = (max: number) =>
  new AppError('limit_reached', `An account can have up to ${max} points of sale.`)
export const posPaused = () => new AppError('conflict', 'This point of sale is paused.', { body: { status: 'paused' } })
/** Prices have changed, or the page computed another total: no customer may be asked for a sum other than the one shown. */
export const totalChanged = (total: string) =>
  new AppError('conflict', 'The prices have changed.', { body: { field: 'total', total } })
export const saleKeyUsed = () =>
  new AppError('conflict', 'This key was already used for a sale with another total.', { body: { field: 'key' } })

export const pinRequired = () => new AppError('pin_required', 'PIN required.')
export const wrongPin = (triesLeft: number) =>
  new AppError('wrong_pin', 'Wrong PIN.', { body: { tries_left: triesLeft } })
export const pinPaused = (retryAfterSeconds: number) =>
  overLimit('After five wrong PINs, sign-in is blocked for five minutes.', retryAfterSeconds)
export const pinShut = () =>
  new AppError('limit_reached', 'Too many wrong PINs were entered on new devices.', {
    body: { detail: 'Devices that have signed in before still work. Set a new PIN to let others in.' },
  })
