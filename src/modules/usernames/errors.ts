import { AppError, type ErrorCode } from '../../kernel/errors.ts'

export const nothingToChange = () =>
  new AppError('invalid_request', 'Nothing to change: give address, title, website or another field.', {
    body: { field: 'name' },
  })
/** Also for names that are reserved: they are nobody's to change. */
export const nameNotLeased = () =>
  new AppError('username_not_found', 'Username not found.', { body: { field: 'name' } })
export const nameInGrace = () =>
  new AppError('conflict', 'The lease of this name is over. Its owner can renew it with get_name.', {
    body: { field: 'name', status: 'grace' },
  })
export const badChange = (field: string, text: string, code: ErrorCode = 'invalid_request') =>
  new AppError(code, text, { body: { field } })
