import { z } from 'zod'
import { pathPattern } from './app.ts'
import type { Answer, Sent } from './test-api.fixture.ts'

/**
 * Holds answers against the description of the service that gave them: status, type, shape and the headers that tell of
 * limits. Throws an `Error` that names what is not described. What a route does not answer itself is a problem.
 */
export function described(document: unknown): (path: string, sent: Sent, answer: Answer) => void {
  const { paths, components } = descriptionShape.parse(document)
  const shapes = z.record(z.string(), z.unknown()).parse(components.schemas)
  const read = new Map<object, z.ZodType>()
  const operationOf = (path: string, method: string) => {
    const own = Object.keys(paths).find((name) => pathPattern(name).test(path.replace(/\?.*/s, '')))
    return own === undefined ? undefined : paths[own]?.[method]
  }
  return (path, { method = 'GET' }, answer) => {
    // Refused by Node itself, or told to browsers before they ask.
    if (answer.headers['x-request-id'] === undefined || method === 'OPTIONS') return
    const operation = operationOf(path, method === 'HEAD' ? 'get' : method.toLowerCase())
    const name = `${method} ${path.slice(0, 60)} answers ${answer.status}`
    const response = operation === undefined ? undescribed : operation.responses[answer.status]
    if (response === undefined) throw new Error(`${name}, which is not described.`)
    for (const header of ['retry-after', 'ratelimit', 'ratelimit-policy', 'allow', 'location']) {
      const isNamed = Object.keys(response.headers).some((other) => other.toLowerCase() === header)
      if (answer.headers[header] !== undefined && !isNamed) throw new Error(`${name} with ${header}: not described.`)
    }
    if (method === 'HEAD' || answer.status === 304) return
    const type = answer.headers['content-type']?.replace(/;.*/, '')
    if (type === undefined && Object.keys(response.content).length === 0) return
    const content = response.content[type ?? '']
    if (content === undefined) throw new Error(`${name} as ${type}, which is not described.`)
    if (type?.endsWith('json') !== true || operation === undefined) return
    const schema = read.get(content) ?? schemaOf(content.schema, shapes)
    read.set(content, schema)
    const parsed = schema.safeParse(JSON.parse(answer.text))
    if (!parsed.success) throw new Error(`${name} in another shape: ${z.prettifyError(parsed.error)}`)
  }
}

const responseShape = z.object({
  headers: z.record(z.string(), z.unknown()).default({}),
  content: z.record(z.string(), z.object({ schema: z.unknown() })).default({}),
})
const descriptionShape = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ responses: z.record(z.string(), responseShape) }))),
  components: z.object({ schemas: z.unknown() }),
})

const undescribed: z.infer<typeof responseShape> = {
  headers: { 'Retry-After': {}, RateLimit: {}, 'RateLimit-Policy': {}, Allow: {} },
  content: { 'application/problem+json': { schema: {} } },
}

/** OpenAPI keeps what is named elsewhere than JSON Schema does. */
function schemaOf(schema: unknown, shapes: Readonly<Record<string, unknown>>): z.ZodType {
  const whole = JSON.stringify({ ...Object(schema), $defs: shapes }).replaceAll('#/components/schemas/', '#/$defs/')
  return z.fromJSONSchema(JSON.parse(whole))
}
