export type ErrorRow = { readonly httpStatus: number; readonly retryable: boolean; readonly suggestion: string }

export function row(httpStatus: number, retryable: boolean, suggestion: string): ErrorRow {
  return { httpStatus, retryable, suggestion }
}
