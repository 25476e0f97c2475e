// What the approval page of `svc approvals page` and the operator page have in common.
export { outcome } from './operator/outcome.ts'
export { html, type Html, htmlText } from './operator/html.ts'
export { listView } from './operator/operations-view.ts'
export { pageCss } from './operator/page-css.ts'
export { describeOne, moreText, type OperationList, readList } from './operator/read-list.ts'
