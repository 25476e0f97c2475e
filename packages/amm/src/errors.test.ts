import { expect, it } from 'vitest'
import { ToolError } from './tool-error.ts'

it('names the command that lists a token', () => {
  const { suggestion } = new ToolError('TOKEN_NOT_ALLOWLISTED', 'The policy is strict and does not list it.')
  expect(suggestion).toContain('svc policy add-token')
})
