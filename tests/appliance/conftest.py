"""Most checks of the appliance run in a Debian root (docs/appliance.md), not in pytest."""

collect_ignore_glob = ["virtual_camera/*"]
