import type { ColumnType } from 'kysely'

/** Read as a bigint, written as a number. */
export type Integer = ColumnType<bigint, number, number>
export type NullableInteger = ColumnType<bigint | null, number | null, number | null>
