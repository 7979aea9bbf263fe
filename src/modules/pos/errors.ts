import { AppError } from '../../kernel/errors.ts'

/** Also for those of other accounts, and for whoever has not its link. */
export const posNotFound = () => new AppError('not_found', 'Point of sale not found.')
export const saleNotFound = () => new AppError('not_found', 'Sale not found.')
export const tooManyPos = (max: number) => new AppError('limit_reached', `An account has up to ${max} points of sale.`)
export const posPaused = () =>
  new AppError('conflict', 'This point of sale takes no sales.', { body: { status: 'paused' } })
/** Items have other prices by now, or a page sums up in another way: nobody is asked for something else than they saw. */
export const totalChanged = (total: string) =>
  new AppError('conflict', 'The prices have changed.', { body: { field: 'total', total } })
export const saleKeyUsed = () =>
  new AppError('conflict', 'This sale was made with another total.', { body: { field: 'key' } })

export const pinRequired = () => new AppError('pin_required', 'A PIN is needed.')
export const wrongPin = (triesLeft: number) =>
  new AppError('wrong_pin', 'Wrong PIN.', { body: { tries_left: triesLeft } })
export const pinPaused = (retryAfterSeconds: number) =>
  new AppError('too_many_requests', 'Too many wrong PINs.', {
    retryAfterSeconds,
    body: { detail: 'After five wrong PINs there is a pause of five minutes.' },
  })
export const pinShut = () =>
  new AppError('limit_reached', 'Too many wrong PINs were tried here on new devices.', {
    body: { detail: 'Devices that were signed in before still can. Set the PIN anew to let others in.' },
  })
