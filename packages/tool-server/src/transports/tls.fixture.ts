/** A self-signed certificate for localhost, for tests alone: its key is public by standing here. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUE8z9OprmjnPWz2LtU6gV7ozauxMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEwMjkzOVoYDzIxMjYxMDI4
MTAyOTM5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARJjSm0ivIRgdnAcuT7Am/klHAm/pY4Vo35J7fHht8/XKFfqY+hV6jo
EGsGMki82gs/1OQyxlM3mpPRBFgXoyLuo28wbTAdBgNVHQ4EFgQUBjlrow3TjibG
neSXSdQ9shn/kQgwHwYDVR0jBBgwFoAUBjlrow3TjibGneSXSdQ9shn/kQgwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhALji9yh5d7mpBLEMpAkecI5OhUAJlpd6zXQY+utca4sCAiEA
xK69ot5eSaS0d9fU2rJvXWjf3WiPrfCo64JqHRqfQQc=
-----END CERTIFICATE-----
`

export const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXwTh5fLMwqbNLyD5
JWykeV5OdUBO7zlhsAHeM4yQ03ChRANCAARJjSm0ivIRgdnAcuT7Am/klHAm/pY4
Vo35J7fHht8/XKFfqY+hV6joEGsGMki82gs/1OQyxlM3mpPRBFgXoyLu
-----END PRIVATE KEY-----
`
