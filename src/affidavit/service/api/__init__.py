"""The routes: what is asked for over HTTP goes in, JSON with a documented shape comes out."""
