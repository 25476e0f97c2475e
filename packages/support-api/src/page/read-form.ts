import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'
import { readBytes, tooLarge } from '../edge/read-json-body.ts'
import type { Fields } from './view.ts'

/**
 * The fields of the form, each at most once. Throws `MEDIA_TYPE_NOT_SUPPORTED`, `PAYLOAD_TOO_LARGE` and
 * `VALIDATION_FAILED`.
 */
export async function readForm(request: IncomingMessage): Promise<Fields> {
  const { headers } = request
  if (!formType.test(headers['content-type'] ?? '')) {
    throw new ApiError('MEDIA_TYPE_NOT_SUPPORTED', 'The body is not a form.')
  }
  if (Number(headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes)
  return fieldsOf(new URLSearchParams((await readBytes(request, mostBytes)).toString('utf8')))
}

/** The fields in a form or in an address. Throws `VALIDATION_FAILED` for others and for repeated ones. */
export function fieldsOf(sent: URLSearchParams): Fields {
  const faults = [...new Set(sent.keys())].filter((name) => !names.has(name) || sent.getAll(name).length > 1)
  if (faults.length > 0) {
    const details = faults.map((field) => ({ field: field.slice(0, 64), message: 'The field is unknown or repeated.' }))
    throw new ApiError('VALIDATION_FAILED', 'The form is not valid.', { details })
  }
  const field = (name: string) => (sent.get(name) ?? '').trim()
  return { address: field('address'), chainId: field('chainId'), appId: field('appId') }
}

/** Fields are read as UTF-8, which some programs say. */
const formType = /^application\/x-www-form-urlencoded[\t ]*(?:;[\t ]*charset=(?:utf-8|"utf-8")[\t ]*)?$/i
const names: ReadonlySet<string> = new Set(['address', 'chainId', 'appId'])
const mostBytes = 1_024
