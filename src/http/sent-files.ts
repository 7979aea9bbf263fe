import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import type { Form } from '../kernel/page.ts'
import type { PictureUploads } from '../modules/accounts/index.ts'
import { SentFields } from './forms.ts'

/* Forms as browsers send them, with and without files, and the pictures in them. */

const FORM_BYTES_MAX = 64 * 1024
/** One picture of the largest size beside the fields. */
const UPLOAD_BYTES_MAX = 512 * 1024 + FORM_BYTES_MAX
/** Put into the field of a refused file, where it is an invalid address. */
const REFUSED_FILE = 'refused file'

export function acceptForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
    (_request, text, done) => done(null, text),
  )
  server.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: UPLOAD_BYTES_MAX },
    (_request, bytes, done) => done(null, bytes),
  )
}

export const fieldsOf = ({ body }: FastifyRequest) => new SentFields(typeof body === 'string' ? body : '')

/** Files are read only for people who are signed in: nobody else has a form for them. */
export async function fieldsAndFilesOf(request: FastifyRequest): Promise<SentFields> {
  const { body, headers } = request
  if (!Buffer.isBuffer(body)) return fieldsOf(request)
  return readMultipart(body as Buffer<ArrayBuffer>, headers['content-type'] ?? '')
}

/** A form with files. Both its size and its fields were limited when it was received. */
async function readMultipart(body: Buffer<ArrayBuffer>, type: string): Promise<SentFields> {
  const parsed = await new Response(body, { headers: { 'content-type': type } }).formData().catch((error: unknown) => {
    throw new AppError('invalid_request', 'The form could not be read.', { cause: error })
  })
  const [fields, files]: [[string, string][], Map<string, Uint8Array>] = [[], new Map()]
  for (const [name, value] of parsed) {
    if (typeof value === 'string') fields.push([name, value])
    else if (value.size > 0) files.set(name, new Uint8Array(await value.arrayBuffer()))
  }
  return new SentFields(fields, files)
}

/**
 * Stores the pictures of a form and puts their addresses into its fields. For a file that is refused it returns the
 * error, and gives the field a value that no reader accepts, so that the form shows all errors at once.
 */
export async function takePictures(
  uploads: PictureUploads,
  { pictures = [] }: Form,
  accountId: string,
  fields: SentFields,
): Promise<Record<string, string>> {
  const faults: Record<string, string> = {}
  for (const name of pictures) {
    const file = fields.files.get(`${name}.file`)
    if (!file) continue
    const added = await uploads.add(accountId, file)
    fields.set(`${name}.remove`, '')
    fields.set(name, 'url' in added ? added.url : REFUSED_FILE)
    if ('fault' in added) faults[name] = added.fault
  }
  return faults
}
