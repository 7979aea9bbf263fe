import { AppError } from '../../kernel/errors.ts'
import type { LinkStatus } from './domain/status.ts'

/** Also used for links of other accounts. */
export const linkNotFound = () => new AppError('not_found', 'Payment link not found.')
export const subscriptionNotFound = () => new AppError('not_found', 'Subscription not found.')
export const slugTaken = () => new AppError('conflict', 'This slug is taken.', { body: { field: 'slug' } })
export const tooManyLinks = (max: number) => new AppError('limit_reached', `An account has up to ${max} payment links.`)
export const linkClosed = (status: Exclude<LinkStatus, 'active'>) =>
  new AppError('conflict', `This payment link is ${status.replace('_', ' ')}.`, { body: { status } })
