import { AppError, type ErrorCode, missingText } from '../errors.ts'

/** An error in one field: `message` uses the field's name in the API, `inForm` its label in the form. */
export interface Wrong {
  field: string
  code: ErrorCode
  message: string
  inForm: string
  /** In a form with a row for each value, the errors of the rows, which it shows instead. */
  rows?: readonly RowError[]
}

interface RowError {
  field: string
  text: string
}

/** The path of a value in a request, and its label in a form. */
export interface Place {
  field: string
  label: string
  /** The text after the label, for a refusal that does not begin with the field's name: `must be a price`. */
  formText?: string | undefined
}

/** A body may have thousands of wrong fields; nobody corrects more than this at once. */
const NAMED_MAX = 50

/** All errors of a request. The first one has the text and field of a refusal of a single field. */
class WrongFields extends AppError {
  readonly wrong: readonly Wrong[]

  constructor(wrong: readonly [Wrong, ...Wrong[]]) {
    const [{ code, message, field }] = wrong
    const errors = wrong.slice(0, NAMED_MAX).map((each) => ({ field: each.field, message: each.message }))
    super(code, message, { body: { field, errors } })
    this.wrong = wrong
  }
}

/**
 * Inputs of a form that make no value, such as two rows of one name. The form puts it in the place of the value, so that its refusal is reported
 * together with all others.
 */
export class RefusedInputs {
  readonly error: AppError

  constructor(error: AppError) {
    this.error = error
  }
}

export function refuseIfAny([first, ...others]: readonly Wrong[]): void {
  if (first) throw new WrongFields([first, ...others])
}

/**
 * Runs one reader and collects its refusal instead of throwing it. The refusal of a part, such as `invoice.tax`, is
 * shown beside that part.
 */
export function attempt<T>(wrong: Wrong[], place: Place, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof WrongFields) wrong.push(...error.wrong)
    else if (error instanceof WrongValues)
      wrong.push({ ...toWrong(place, error.message, error.code), rows: error.rows })
    else if (error instanceof AppError && error.status < 500) {
      const { field = place.field } = error.body as { field?: string }
      const of = field === place.field ? place : { field, label: 'This' }
      wrong.push(toWrong(of, error.message, error.code))
    } else throw error
    return undefined
  }
}

/** Values of a list of which some are wrong: the first refusal for programs, and one for each row of a form. */
class WrongValues extends AppError {
  readonly rows: readonly RowError[]

  constructor({ code, message, body }: AppError, rows: readonly RowError[]) {
    super(code, message, { body })
    this.rows = rows
  }
}

/** Reads every value of a list; `one` is the label of a row. A row that was left empty is undefined. */
export function readEach<T>(
  path: string,
  { sent, one }: { sent: readonly unknown[]; one: string },
  read: (value: unknown, at: number) => T,
): T[] {
  const refusals: AppError[] = []
  const rows: RowError[] = []
  const values = sent.flatMap((value, at) => {
    if (value === undefined) return []
    try {
      return [read(value, at)]
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      const field = `${path}[${at}]`
      const named = error.message.startsWith(field) ? field : path
      refusals.push(error)
      rows.push({ field, text: inForm({ field: named, label: `${one} ${at + 1}` }, error.message) })
      return []
    }
  })
  if (refusals[0]) throw new WrongValues(refusals[0], rows)
  return values
}

export const toWrong = (place: Place, message: string, code: ErrorCode = 'invalid_request'): Wrong => ({
  field: place.field,
  code,
  message,
  inForm: inForm(place, message),
})

/**
 * The text of a refusal beside its field in a form: the label stands in place of the field's name, with which most refusals of the API begin, as in
 * `tips must be …`.
 */
export function inForm({ field, label, formText: own }: Place, message: string): string {
  const formText = own ?? FIXED[message]
  if (message === missingText(field)) return `${label} is required`
  if (message.startsWith(`${field} `)) return label + message.slice(field.length)
  return formText === undefined ? message : `${label} ${formText}.`
}

/** Messages that programs may compare with, so that they never change. */
const FIXED: Readonly<Record<string, string>> = {
  'Invalid amount number': 'must be an amount such as 12.50',
  'Invalid email': 'must be an email address',
  'Bad account number': 'must be a Nano address',
}

/** The errors of a refused form by field. `known` are texts about fields of which the form knows better what was wrong. */
export function toFormErrors(error: AppError, known: Readonly<Record<string, string>> = {}) {
  const { message, body } = error
  if (error instanceof WrongFields) {
    const errors = Object.fromEntries(
      error.wrong.flatMap(({ field, inForm: text, rows = [{ field, text }] }) =>
        rows.map((row): [string, string] => [row.field, known[row.field] ?? row.text]),
      ),
    )
    const [field, text] = Object.entries(errors)[0]!
    return { error: { field, text }, errors }
  }
  // Programs need the fixed message; people see the detail.
  const text = typeof body.detail === 'string' ? body.detail : message
  return { error: { field: typeof body.field === 'string' ? body.field : undefined, text } }
}
