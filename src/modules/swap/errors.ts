import { AppError } from '../../kernel/errors.ts'

export const swapDisabled = () => new AppError('feature_disabled', 'No swap provider is configured.')

export const unknownCurrency = (field: string, known: readonly string[]) =>
  new AppError('invalid_currency', 'Unknown currency.', { body: { field, detail: `Currencies: ${known.join(', ')}.` } })

export const sameCurrency = () =>
  new AppError('invalid_currency', 'A currency cannot be swapped for itself.', { body: { field: 'to' } })

export const badAddress = (field: string, code: string) =>
  new AppError('invalid_account', `This is not a valid ${code} address.`, { body: { field } })

export const badAmount = () => new AppError('invalid_amount', 'Invalid amount number', { body: { field: 'amount' } })

export const providerFailed = (cause: unknown) =>
  new AppError('no_swap', 'The swap provider is not responding. No swap was made; try again.', {
    retryAfterSeconds: 30,
    cause,
  })

export const swapNotFound = () => new AppError('swap_not_found', 'Swap not found.', { body: { field: 'id' } })
