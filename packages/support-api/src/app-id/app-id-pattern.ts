/** What an app id may look like at all: nothing that could change the path it is put into. */
export const appIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{2,63}$/
