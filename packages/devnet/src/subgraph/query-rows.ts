import { GraphQLError } from 'graphql'

/**
 * Filters, sorts and cuts rows as the node of the public subgraphs does: operators are suffixes of the filter's members, decimals
 * compare as numbers, at most 1,000 rows are given and 5,000 skipped.
 */
export function queryRows<Row extends object>(rows: readonly Row[], query: RowQuery): Row[] {
  const { first, skip, where = {}, orderBy = 'id', orderDirection = 'asc' } = query
  if (first < 0 || first > 1_000) {
    throw new GraphQLError(`The value of the \`first\` argument must be between 0 and 1000, but is ${first}`)
  }
  if (skip < 0 || skip > 5_000) {
    throw new GraphQLError(`The value of the \`skip\` argument must be between 0 and 5000, but is ${skip}`)
  }
  const sign = orderDirection === 'asc' ? 1 : -1
  return rows
    .filter((row) => fits(row, where))
    .toSorted((a, b) => sign * compare(read(a, orderBy), read(b, orderBy)) || compare(read(a, 'id'), read(b, 'id')))
    .slice(skip, skip + first)
}

export type RowQuery = {
  readonly first: number
  readonly skip: number
  readonly orderBy?: string
  readonly orderDirection?: 'asc' | 'desc'
  readonly where?: Filter
}

type Filter = { readonly [member: string]: unknown }

function fits(row: object, where: Filter): boolean {
  return Object.entries(where).every(([member, wanted]) => {
    if (member === 'or') return (wanted as Filter[]).some((filter) => fits(row, filter))
    if (member === 'and') return (wanted as Filter[]).every((filter) => fits(row, filter))
    const [, name = member, operator = 'is'] = /^(.*?)(?:_(gte|gt|lte|lt|in))?$/.exec(member) ?? []
    const value = read(row, name)
    if (operator === 'in') return (wanted as unknown[]).some((one) => compare(value, one) === 0)
    const order = compare(value, wanted)
    return operators[operator]?.(order) ?? false
  })
}

const operators: Readonly<Record<string, (order: number) => boolean>> = {
  is: (order) => order === 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
}

/** A reference to another row stands for its id. */
function read(row: object, name: string): unknown {
  const value = (row as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : value
}

function compare(a: unknown, b: unknown): number {
  const [left, right] = [String(a), String(b)]
  if (decimal.test(left) && decimal.test(right)) return Number(left) - Number(right)
  return left < right ? -1 : left > right ? 1 : 0
}

const decimal = /^-?\d+(\.\d+)?$/
