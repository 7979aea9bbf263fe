import { AppError, overLimit } from '../../../kernel/errors.ts'

/** Also used for people of other accounts, so that a caller cannot learn who exists elsewhere. */
export const memberNotFound = () => new AppError('not_found', 'Member not found.')
export const memberThere = () =>
  new AppError('conflict', 'This person is already a member.', { body: { field: 'email' } })
export const lastOwner = () =>
  new AppError('conflict', 'An account needs at least one owner. Make someone else an owner first.')
export const ownersOnly = () =>
  new AppError('missing_scope', 'Only owners can change owners.', { body: { scope: 'owners' } })
export const notPeople = () =>
  new AppError('missing_scope', 'Your role does not include this.', { body: { scope: 'people' } })
export const notJoined = () => new AppError('conflict', 'This invitation has not been accepted yet.')
export const invitationOver = () => new AppError('not_found', 'This invitation has expired or was already used.')
export const tooManyMembers = (max: number) =>
  new AppError('conflict', `An account can have up to ${max} people. Remove someone first.`)
export const tooManyInvitations = (retryAfterSeconds: number, detail: string) => overLimit(detail, retryAfterSeconds)
export const isKeySession = () => new AppError('conflict', 'You signed in with a key, which has no email address.')
