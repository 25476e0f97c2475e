import * as z from 'zod'
import type { Tool } from '../tool.ts'

/**
 * What a tool takes and answers in JSON Schema 2020-12 (the dialect MCP assumes, so it is not repeated). The production server
 * holds them ready made: scripts/bundle.mjs puts them in the place of this module.
 */
export function toolSchemas(tool: Tool): ToolSchemas {
  return {
    inputSchema: jsonSchema(tool.input, 'input'),
    outputSchema: defers(tool) ? writeOutputSchema(tool.output) : jsonSchema(tool.output, 'output'),
  }
}

export type ToolSchemas = { readonly inputSchema: JsonObjectSchema; readonly outputSchema: JsonObjectSchema }

export type JsonObjectSchema = { readonly type: 'object'; readonly [keyword: string]: unknown }

/** Whether a tool may answer with a plan: those that act on stored writes say themselves what they answer. */
function defers({ access, scope }: Tool): boolean {
  return access === 'write' && scope !== 'of-operation'
}

/**
 * A write tool answers with its result, with a plan, or with an operation that waits for its time. Clients check
 * structured content against the listed schema, so it allows all three: every member optional, and it stays open for theirs.
 */
function writeOutputSchema(output: z.ZodObject): JsonObjectSchema {
  const schema = jsonSchema(output, 'output')
  const { required: _required, ...rest } = schema
  const properties =
    typeof schema['properties'] === 'object' && schema['properties'] !== null ? schema['properties'] : {}
  return {
    ...rest,
    type: 'object',
    properties: {
      ...properties,
      status: { type: 'string' },
    },
  }
}

/**
 * Every client pays for these words in every conversation. So an output schema keeps what a reader of results needs (its
 * check is `checkOutput`'s): it stays open and lists nothing as required, for the server's instructions promise once that each
 * member is there, and which further members are the same in every result.
 */
function jsonSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonObjectSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ jsonSchema: node, path }) => {
      if (io === 'output') joinNull(node)
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum
      if (io === 'output') delete node.required
      if (io === 'output' && path.length === 0) leaveOutCommon(node)
      if (io === 'output') leaveOutDocumented(node)
      if (io === 'output' && node.const !== undefined) delete node.type
      if (io === 'output' && node.properties !== undefined) delete node.additionalProperties
      // The names of a record are always text in JSON.
      delete node.propertyNames
      joinText(node)
      // A schema that says its type itself takes other forms of it without saying so.
      if (node.type !== undefined) delete node.anyOf
      // A switch that is left out is off.
      if (node.default === false) delete node.default
      if (io === 'input') sayOnce(node)
      if (io === 'input' && path.length === 0) leaveOutKnown(node)
      // How many a list takes, the refusal says; an enum of three says it, too.
      delete node.minItems
      delete node.maxItems
    },
  })
  return { ...rest, type: 'object' }
}

/** What every result may hold beside its own members; the server's instructions say it once for all. */
export const commonMembers = [
  'source',
  'blockNumber',
  'blockAgeSeconds',
  'barsExpected',
  'barsFound',
  'isEstimate',
  'transactions',
  'explorerUrl',
  'atomicity',
  'gasCostUsd',
  'notes',
] as const

/** What every read of a block says of where and when it was made; the instructions say that once as well. */
export const blockMembers = ['chain', 'timestamp'] as const

function leaveOutCommon({ properties }: z.core.JSONSchema.BaseSchema): void {
  const isOfBlock = properties?.['blockNumber'] !== undefined
  for (const name of isOfBlock ? [...commonMembers, ...blockMembers] : commonMembers) delete properties?.[name]
  const chain = properties?.['chain']
  if (typeof chain === 'object') delete chain.properties
}

/** Every write takes it; the instructions say what it does. */
function leaveOutKnown({ properties }: z.core.JSONSchema.BaseSchema): void {
  const key = properties?.['idempotencyKey']
  if (typeof key === 'object') delete key.description
}

/** Members that docs/analytics.md or a description beside them names, as their schema says. */
function leaveOutDocumented({ properties = {} }: z.core.JSONSchema.BaseSchema): void {
  for (const [name, member] of Object.entries(properties)) {
    if (typeof member === 'object' && member['unlisted'] === true) delete properties[name]
  }
}

/** A number, or one word instead: the description says which. */
function joinText(node: z.core.JSONSchema.BaseSchema): void {
  const [one, other] = node.anyOf ?? []
  if (node.anyOf?.length !== 2 || one?.type !== 'number' || typeof other?.const !== 'string') return
  delete node.anyOf
  Object.assign(node, { type: ['number', 'string'] })
}

/** What is said of one parameter is not said again of those beside it: token1 is like token0. */
function sayOnce(node: z.core.JSONSchema.BaseSchema): void {
  const said = new Set<string>()
  for (const [name, member] of Object.entries(node.properties ?? {})) {
    if (typeof member !== 'object' || member.description === undefined) continue
    const { description, ...rest } = member
    // Two parameters of one schema are one object here.
    if (said.has(description)) Object.assign(node.properties ?? {}, { [name]: rest })
    said.add(description)
  }
}

/** An object or a list that may be null, said in one list of types. */
function joinNull(node: z.core.JSONSchema.BaseSchema): void {
  const [one, other] = node.anyOf ?? []
  if (node.anyOf?.length !== 2 || (one?.type !== 'object' && one?.type !== 'array') || other?.type !== 'null') return
  delete node.anyOf
  Object.assign(node, { ...one, ...node, type: [one.type, 'null'] })
}
