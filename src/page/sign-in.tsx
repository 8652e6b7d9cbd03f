/** For a server that wants a token: asked for once, kept for this tab alone. */
import { useState, type FormEvent } from 'react';
import { keepToken } from './server/token.ts';

export function SignIn() {
  const [token, setToken] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    keepToken(token.trim());
    window.location.reload();
  };
  return (
    <form className="card stack narrow center" onSubmit={submit}>
      <h1>This server asks for a token</h1>
      <div className="field">
        <label htmlFor="token">Token</label>
        <input
          id="token"
          type="password"
          autoComplete="current-password"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <span className="hint">Whoever runs the server knows it. It is kept until this tab is closed.</span>
      </div>
      <div>
        <button type="submit" className="primary" disabled={token.trim() === ''}>
          Go on
        </button>
      </div>
    </form>
  );
}
