import { AwsV4Signer } from 'aws4fetch';
import { VenturiError } from '../../model/errors.ts';

/** Where an object lies, and what may be told about it. */
export interface Address {
  readonly url: URL;
  /** For messages and recordings: without user name, password, query and fragment, any of which may be a secret. */
  readonly shown: string;
  /** Adds what proves who asks. Made anew for every request, since a signature holds its time. */
  sign(headers: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Understands http:, https: and s3: addresses. */
export function addressOf(text: string, environment: Environment = process.env): Address {
  if (text.startsWith('s3://')) return s3Address(text, environment);
  const url = parsed(text);
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const shown = url === undefined ? guarded(text) : shownUrl(url);
    throw new VenturiError('VENTURI_SOURCE_UNREADABLE', `${shown} is not the address of an object`, {
      remedy: 'give addresses that begin with http://, https:// or s3://',
    });
  }
  return { url, shown: shownUrl(url), sign: async headers => headers };
}

const shownUrl = ({ protocol, host, pathname, search }: URL): string =>
  `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`;

/** What is no URL can still hold a password, and nobody knows where it ends. */
const guarded = (text: string): string =>
  text.includes('@') ? `'${/^\w+:\/\//.exec(text)?.[0] ?? ''}…'` : `'${text.replace(/[?#].*$/s, '…')}'`;

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function s3Address(text: string, environment: Environment): Address {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/s.exec(text) ?? [];
  // A URL cannot name `.` and `..` as parts of a key: they would be resolved to another object.
  if (
    !/^[a-z0-9][a-z0-9.-]+$/i.test(bucket) ||
    key === '' ||
    key.split('/').some(part => part === '.' || part === '..')
  ) {
    throw new VenturiError('VENTURI_SOURCE_UNREADABLE', `'${text}' does not name an object`, {
      remedy: 'give s3://bucket/key',
    });
  }
  const region = environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? 'us-east-1';
  const path = key.split('/').map(encodeURIComponent).join('/');
  const url = new URL(s3Url(bucket, path, region, environment.AWS_ENDPOINT_URL));
  return { url, shown: `s3://${bucket}/${key}`, sign: signer(url, region, environment) };
}

function s3Url(bucket: string, path: string, region: string, endpoint: string | undefined): string {
  if (endpoint !== undefined && endpoint !== '') {
    if (!URL.canParse(endpoint)) {
      throw new VenturiError('VENTURI_SOURCE_UNREADABLE', `AWS_ENDPOINT_URL is not a URL`, {
        remedy: 'set it to something like https://storage.example.com, or unset it for Amazon S3',
      });
    }
    return `${endpoint.replace(/\/+$/, '')}/${bucket}/${path}`;
  }
  // The certificate does not cover bucket names with a dot in front of the host.
  return bucket.includes('.')
    ? `https://s3.${region}.amazonaws.com/${bucket}/${path}`
    : `https://${bucket}.s3.${region}.amazonaws.com/${path}`;
}

/** Without a key of access requests go unsigned, as public buckets allow. */
function signer(url: URL, region: string, environment: Environment): Address['sign'] {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const sessionToken = environment.AWS_SESSION_TOKEN;
  if (!accessKeyId || !secretAccessKey) return async headers => headers;
  return async headers => {
    const signed = await new AwsV4Signer({
      method: 'GET',
      url: url.href,
      headers,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken ? { sessionToken } : {}),
      service: 's3',
      region,
    }).sign();
    return Object.fromEntries(signed.headers);
  };
}
