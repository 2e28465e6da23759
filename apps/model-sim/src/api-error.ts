/** Errors in the form of the Messages API: an HTTP status, an error type and a message for people. */

export type ApiErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'conflict_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'timeout_error'
  | 'overloaded_error';

/** Thrown wherever a request is refused; the server turns it into the API's error body. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly type: ApiErrorType,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A 400 with the given text. */
export function invalidRequest(message: string, options?: ErrorOptions): ApiError {
  return new ApiError(400, 'invalid_request_error', message, options);
}

export interface ApiErrorBody {
  type: 'error';
  error: { type: string; message: string };
  request_id: string;
}

/** The JSON body that the API sends with an error status. */
export function errorBody(type: string, message: string, requestId: string): ApiErrorBody {
  return { type: 'error', error: { type, message }, request_id: requestId };
}
