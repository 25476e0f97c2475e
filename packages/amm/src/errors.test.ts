import { expect, it } from 'vitest'
import { errorTable, ToolError } from './tool-error.ts'
import { callErrors } from './errors/call-errors.ts'
import { readErrors } from './errors/read-errors.ts'
import { transactionErrors } from './errors/transaction-errors.ts'

it('names the command that lists a token', () => {
  const { suggestion } = new ToolError('TOKEN_NOT_ALLOWLISTED', 'The policy is strict and does not list it.')
  expect(suggestion).toContain('svc policy add-token')
})

it('stands in one table of one topic alone', () => {
  const codes = [callErrors, readErrors, transactionErrors].flatMap(Object.keys)
  expect(codes).toEqual(Object.keys(errorTable))
})
